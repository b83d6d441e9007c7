import { defineFaults } from '../../platform/faults/fault.ts'

export const { discussionsTooLong } = defineFaults({
  discussionsTooLong: [
    1001,
    "The answer would be too long: one request reads the comments, histories and attachments of at most {bugs} bugs, and {megabytes} MB of comments. Ask for fewer bugs at a time, with 'limit' and 'offset' or with fewer IDs, or for fewer fields.",
  ],
})

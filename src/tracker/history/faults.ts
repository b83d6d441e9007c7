import { defineFaults } from '../../platform/faults/fault.ts'

export const { discussionsTooLong } = defineFaults({
  discussionsTooLong: [
    1001,
    "The answer would be too long: one request reads the comments, histories and attachments of at most {bugs} bugs, {megabytes} MB of the comments of many bugs, and {all} MB of comments and history in all. Ask for fewer bugs at a time, with 'limit' and 'offset' or with fewer IDs, for fewer fields, or with 'newest' for a part of the comments or the history of one bug.",
  ],
})

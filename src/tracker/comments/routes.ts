import { bugAccessFaults, notAuthorized } from '../../platform/access/faults.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import {
  changeTagsFaults,
  commentAccessFaults,
  commentTagsDisabled,
  commentTooLong,
  postCommentFaults,
} from './faults.ts'
import {
  bugCommentsInput,
  commentInput,
  commentsOutput,
  getBugComments,
  getComments,
} from './get.ts'
import { postComment, postCommentInput, postCommentOutput } from './post.ts'
import { renderComment, renderInput, renderOutput } from './render.ts'
import {
  changeCommentTags,
  changeTagsInput,
  searchCommentTags,
  searchTagsInput,
  tagsOutput,
} from './tags.ts'

export const commentOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/bug/comment/:comment_id',
      summary: 'Read comments by their IDs',
      reference: 'comments.md#get-comments',
      input: commentInput,
      output: commentsOutput,
      faults: commentAccessFaults,
    },
    getComments,
  ),
  operation(
    {
      method: 'GET',
      path: '/bug/:id_or_alias/comment',
      summary: 'Read the comments of bugs',
      reference: 'comments.md#list-comments',
      input: bugCommentsInput,
      output: commentsOutput,
      faults: bugAccessFaults,
    },
    getBugComments,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug/:id_or_alias/comment',
      summary: 'Add a comment to bugs',
      reference: 'comments.md#add-a-comment',
      input: postCommentInput,
      output: postCommentOutput,
      faults: postCommentFaults,
      status: 201,
      login: true,
    },
    postComment,
  ),
  operation(
    {
      method: 'PUT',
      path: '/bug/comment/:comment_id/tags',
      summary: 'Add tags to a comment, or take them away',
      reference: 'comments.md#change-the-tags-of-a-comment',
      input: changeTagsInput,
      output: tagsOutput,
      faults: changeTagsFaults,
      login: true,
    },
    changeCommentTags,
  ),
  operation(
    {
      method: 'GET',
      path: '/bug/comment/tags/:query',
      summary: 'Search the tags of comments',
      reference: 'comments.md#search-tags-of-comments',
      input: searchTagsInput,
      output: tagsOutput,
      faults: [commentTagsDisabled, notAuthorized],
      login: true,
    },
    searchCommentTags,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug/comment/render',
      summary: 'Show a text as it would look as a comment',
      reference: 'comments.md#render-a-text',
      input: renderInput,
      output: renderOutput,
      faults: [...bugAccessFaults, commentTooLong],
      // it writes nothing
      scope: 'read',
    },
    renderComment,
  ),
]

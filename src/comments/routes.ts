import { type Operation, operation } from '../http/operation.ts'
import {
  bugCommentsInput,
  commentInput,
  commentsOutput,
  getBugComments,
  getComment,
} from './get.ts'
import { postComment, postCommentInput, postCommentOutput } from './post.ts'
import { renderComment, renderInput, renderOutput } from './render.ts'
import { changeTags, changeTagsInput, searchTags, searchTagsInput, tagsOutput } from './tags.ts'

export const commentOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/bug/comment/:comment_id',
      summary: 'Read one comment',
      heading: 'Comments',
      input: commentInput,
      output: commentsOutput,
    },
    getComment,
  ),
  operation(
    {
      method: 'GET',
      path: '/bug/:id_or_alias/comment',
      summary: 'Read the comments of bugs',
      heading: 'Comments',
      input: bugCommentsInput,
      output: commentsOutput,
    },
    getBugComments,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug/:id_or_alias/comment',
      summary: 'Add a comment to bugs',
      heading: 'Comments',
      input: postCommentInput,
      output: postCommentOutput,
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
      heading: 'Comments',
      input: changeTagsInput,
      output: tagsOutput,
      login: true,
    },
    changeTags,
  ),
  operation(
    {
      method: 'GET',
      path: '/bug/comment/tags/:query',
      summary: 'Search the tags of comments',
      heading: 'Comments',
      input: searchTagsInput,
      output: tagsOutput,
      login: true,
    },
    searchTags,
  ),
  operation(
    {
      method: 'POST',
      path: '/bug/comment/render',
      summary: 'Show a text as it would look as a comment',
      heading: 'Comments',
      input: renderInput,
      output: renderOutput,
    },
    renderComment,
  ),
]

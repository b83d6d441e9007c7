import type { Operation } from '../../platform/http/operations/operation.ts'
import { getBugComments, getComments } from './get.ts'
import { postComment } from './post.ts'
import { renderComment } from './render.ts'
import { changeCommentTags, searchCommentTags } from './tags.ts'

export const commentOperations: Operation[] = [
  getComments,
  getBugComments,
  postComment,
  changeCommentTags,
  searchCommentTags,
  renderComment,
]

import type { Parameters } from '../../http/app-env.ts'
import { moveFirst, renameTo } from '../path-parameters.ts'
import type { RpcMethod, RpcMethods } from '../types.ts'

const moveBug = moveFirst('ids', 'id_or_alias')

const getBugs: RpcMethod = { operation: 'GET /bug/:id_or_alias', toParameters: moveBug }
const getHistory: RpcMethod = { operation: 'GET /bug/:id_or_alias/history', toParameters: moveBug }

/** Methods about bugs, their comments and attachments. Reference: rpc.md, "Bug". */
export const bugMethods: RpcMethods = {
  'Bug.get': getBugs,
  'Bug.get_bugs': getBugs,
  'Bug.search': { operation: 'GET /bug' },
  'Bug.possible_duplicates': { operation: 'GET /bug/possible_duplicates' },
  'Bug.create': { operation: 'POST /bug' },
  'Bug.update': { operation: 'PUT /bug/:id_or_alias', toParameters: moveBug },
  'Bug.update_see_also': {
    operation: 'PUT /bug/:id_or_alias',
    toParameters: (given) => moveBug(nestSeeAlso(given)),
    toResult: presentSeeAlsoChanges,
  },
  'Bug.update_tags': {
    operation: 'PUT /bug/:id_or_alias',
    toParameters: moveBug,
    // the tags of a person are no part of what changed in the bug
    toResult: (body) => ({ changes: Object.fromEntries(bugsOf(body).map(({ id }) => [id, {}])) }),
  },
  'Bug.history': getHistory,
  'Bug.get_history': getHistory,
  'Bug.fields': { operation: 'GET /field/bug' },
  'Bug.legal_values': {
    operation: 'GET /field/bug/:field/values',
    whenGiven: {
      product_id: {
        operation: 'GET /field/bug/:field/:product_id/values',
        toParameters: renameTo('product_id', 'product_id'),
      },
    },
  },
  ...commentMethods(),
  ...attachmentMethods(),
  'BugUserLastVisit.get': { operation: 'GET /bug_user_last_visit' },
  'BugUserLastVisit.update': { operation: 'POST /bug_user_last_visit' },
}

function commentMethods(): RpcMethods {
  return {
    'Bug.comments': {
      operation: 'GET /bug/:id_or_alias/comment',
      toParameters: moveBug,
      whenGiven: {
        comment_ids: {
          operation: 'GET /bug/comment/:comment_id',
          toParameters: moveFirst('comment_ids', 'comment_id'),
        },
      },
    },
    'Bug.add_comment': {
      operation: 'POST /bug/:id_or_alias/comment',
      toParameters: renameTo('id_or_alias', 'id'),
    },
    'Bug.render_comment': { operation: 'POST /bug/comment/render' },
    'Bug.search_comment_tags': { operation: 'GET /bug/comment/tags/:query' },
    'Bug.update_comment_tags': {
      operation: 'PUT /bug/comment/:comment_id/tags',
      toParameters: renameTo('comment_id', 'comment_id'),
    },
  }
}

function attachmentMethods(): RpcMethods {
  return {
    'Bug.attachments': {
      operation: 'GET /bug/:id_or_alias/attachment',
      toParameters: moveBug,
      whenGiven: {
        attachment_ids: {
          operation: 'GET /bug/attachment/:attachment_id',
          toParameters: moveFirst('attachment_ids', 'attachment_id'),
        },
      },
    },
    'Bug.add_attachment': { operation: 'POST /bug/:id_or_alias/attachment', toParameters: moveBug },
    'Bug.update_attachment': {
      operation: 'PUT /bug/attachment/:attachment_id',
      toParameters: moveFirst('ids', 'attachment_id'),
    },
  }
}

function nestSeeAlso({ add, remove, ...others }: Parameters): Parameters {
  return { ...others, see_also: { add, remove } }
}

type ChangedBug = {
  readonly id: number
  readonly changes: { readonly see_also?: { readonly added: string; readonly removed: string } }
}

/** The body of Update Bug, whose shape is `changeBugOutput`. */
function bugsOf(body: unknown): readonly ChangedBug[] {
  return (body as { bugs: ChangedBug[] }).bugs
}

function presentSeeAlsoChanges(body: unknown): unknown {
  const changes = bugsOf(body).map(({ id, changes: { see_also: links } }) => [
    id,
    links === undefined
      ? {}
      : { see_also: { added: separate(links.added), removed: separate(links.removed) } },
  ])
  return { changes: Object.fromEntries(changes) }
}

function separate(addresses: string): string[] {
  return addresses === '' ? [] : addresses.split(/,\s+/)
}

import type { Parameters } from '../../../platform/http/request/app-env.ts'
import { putFirstInPath, renameTo } from '../path-parameters.ts'
import type { RpcMethod, RpcMethods } from '../types.ts'

const putBugInPath = putFirstInPath('ids', 'id_or_alias')

const getBugs: RpcMethod = {
  operation: 'GET /bug/:id_or_alias',
  toParameters: putBugInPath,
  whenEmpty: {
    operation: 'GET /bug',
    toParameters: ({ include_fields, exclude_fields }) => ({
      permissive: true,
      include_fields,
      exclude_fields,
    }),
  },
}
const getHistory: RpcMethod = {
  operation: 'GET /bug/:id_or_alias/history',
  toParameters: putBugInPath,
}

export const bugMethods: RpcMethods = {
  'Bug.get': getBugs,
  'Bug.get_bugs': getBugs,
  'Bug.search': { operation: 'GET /bug' },
  'Bug.possible_duplicates': { operation: 'GET /bug/possible_duplicates' },
  'Bug.create': { operation: 'POST /bug' },
  'Bug.update': { operation: 'PUT /bug/:id_or_alias', toParameters: putBugInPath },
  'Bug.update_see_also': {
    operation: 'PUT /bug/:id_or_alias',
    toParameters: (given) => putBugInPath(nestSeeAlso(given)),
    toResult: (body) => presentListChanges(body, 'see_also'),
  },
  'Bug.update_tags': {
    operation: 'PUT /bug/:id_or_alias',
    toParameters: putBugInPath,
    toResult: (body) => presentListChanges(body, 'tags'),
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
      toParameters: putBugInPath,
      whenGiven: {
        comment_ids: {
          operation: 'GET /bug/comment/:comment_id',
          toParameters: putFirstInPath('comment_ids', 'comment_id'),
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
      toParameters: putBugInPath,
      whenGiven: {
        attachment_ids: {
          operation: 'GET /bug/attachment/:attachment_id',
          toParameters: putFirstInPath('attachment_ids', 'attachment_id'),
        },
      },
    },
    'Bug.add_attachment': {
      operation: 'POST /bug/:id_or_alias/attachment',
      toParameters: putBugInPath,
    },
    'Bug.update_attachment': {
      operation: 'PUT /bug/attachment/:attachment_id',
      toParameters: putFirstInPath('ids', 'attachment_id'),
    },
  }
}

function nestSeeAlso({ add, remove, ...others }: Parameters): Parameters {
  return { ...others, see_also: { add, remove } }
}

type ListChange = { readonly added: string; readonly removed: string }

type ChangedBug = {
  readonly id: number
  readonly changes: Readonly<Record<string, ListChange>>
}

/** How a list of each bug changed; the body is that of Update Bug, whose shape is `changeBugOutput`. */
function presentListChanges(body: unknown, field: string): unknown {
  const { bugs } = body as { bugs: readonly ChangedBug[] }
  const changes = bugs.map(({ id, changes: { [field]: list } }) => [
    id,
    list === undefined
      ? {}
      : { [field]: { added: separate(list.added), removed: separate(list.removed) } },
  ])
  return { changes: Object.fromEntries(changes) }
}

function separate(list: string): string[] {
  return list === '' ? [] : list.split(/,\s+/)
}

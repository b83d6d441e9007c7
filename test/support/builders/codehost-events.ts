/** Payloads as GitHub posts them, shortened only in their lists of links. */

const sender = {
  login: 'sam',
  id: 21031067,
  node_id: 'MDQ6VXNlcjIxMDMxMDY3',
  type: 'User',
  site_admin: false,
  html_url: 'https://github.com/sam',
}

export const repository = {
  id: 186853002,
  node_id: 'MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=',
  name: 'browser',
  full_name: 'example/browser',
  private: false,
  owner: { ...sender, name: 'example', email: null },
  html_url: 'https://github.com/example/browser',
  description: null,
  fork: false,
  default_branch: 'main',
}

export const ping = {
  zen: 'Keep it logically awesome.',
  hook_id: 30,
  hook: {
    type: 'Repository',
    id: 30,
    name: 'web',
    active: true,
    events: ['push'],
    config: {
      content_type: 'json',
      insecure_ssl: '0',
      url: 'https://tracker.test/rest/github/push_comment',
    },
  },
  repository,
  sender,
}

type CommitOptions = {
  message: string
  id?: string
  username?: string | null
  name?: string | null
}

/** A commit of a push. */
function buildCommit({
  message,
  id = '1481a2de7b2a7d02428ad93446ab166be7793fbb',
  ...author
}: CommitOptions) {
  const { username = 'sam', name = 'Sam Smith' } = author
  const person = {
    ...(name === null ? {} : { name }),
    email: 'sam@example.test',
    ...(username === null ? {} : { username }),
  }
  return {
    id,
    tree_id: 'f9d2a07e9488b91af2641b26b9407fe22a451433',
    distinct: true,
    message,
    timestamp: '2026-10-20T15:44:13+02:00',
    url: `https://github.com/example/browser/commit/${id}`,
    author: person,
    committer: { name: 'GitHub', email: 'noreply@github.com', username: 'web-flow' },
    added: [],
    removed: [],
    modified: ['README.md', 'src/café.ts'],
  }
}

/** A push of commits with these messages. */
export function buildPush(messages: readonly (string | CommitOptions)[], more: object = {}) {
  const commits = messages.map((one) =>
    buildCommit(typeof one === 'string' ? { message: one } : one),
  )
  return {
    ref: 'refs/heads/main',
    before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
    after: '1481a2de7b2a7d02428ad93446ab166be7793fbb',
    repository,
    pusher: { name: 'sam', email: 'sam@example.test' },
    sender,
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: 'https://github.com/example/browser/compare/6113728f27ae...1481a2de7b2a',
    commits,
    head_commit: commits.at(-1) ?? null,
    ...more,
  }
}

/** A pull request that was just opened. */
export function buildPullRequest(
  title: string,
  more: { number?: number; [item: string]: unknown } = {},
) {
  const { number = 279147437, ...items } = more
  return {
    action: 'opened',
    number,
    pull_request: {
      url: `https://api.github.com/repos/example/browser/pulls/${number}`,
      id: 279147437,
      html_url: `https://github.com/example/browser/pull/${number}`,
      number,
      state: 'open',
      locked: false,
      title,
      user: sender,
      body: 'This is a pretty simple change.',
      merged_at: null,
      draft: false,
      merged: false,
      head: {
        label: 'sam:changes',
        ref: 'changes',
        sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
      },
      base: { label: 'example:main', ref: 'main', sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e' },
    },
    repository,
    sender,
    ...items,
  }
}

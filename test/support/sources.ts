/// <reference types="vite/types/importMeta.d.ts" />

/** Every file of `src` as text, by its path below the root of the project. */
export const sources: Readonly<Record<string, string>> = belowRoot(
  import.meta.glob<string>('/src/**/*.{ts,tsx}', { query: '?raw', eager: true, import: 'default' }),
)

/** The paths of all tests, below the root of the project. */
export const testPaths: readonly string[] = Object.keys(
  belowRoot(import.meta.glob('/test/**/*.test.ts')),
)

/** What operators read, as text. */
export const operation: string =
  belowRoot(
    import.meta.glob<string>('/docs/operation.md', {
      query: '?raw',
      eager: true,
      import: 'default',
    }),
  )['docs/operation.md'] ?? ''

/** The configuration of the Worker as text. */
export const wranglerToml: string =
  belowRoot(
    import.meta.glob<string>('/wrangler.toml', { query: '?raw', eager: true, import: 'default' }),
  )['wrangler.toml'] ?? ''

function belowRoot<Content>(files: Record<string, Content>): Record<string, Content> {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [path.replace(/^\//, ''), content]),
  )
}

/** The source without its comments. */
export const code: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(sources).map(([path, text]) => [path, withoutComments(text)]),
)

function withoutComments(text: string): string {
  return text.replace(/\/\*.*?\*\//gs, '').replace(/^\s*\/\/.*$|\s\/\/ .*$/gm, '')
}

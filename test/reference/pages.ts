/// <reference types="vite/types/importMeta.d.ts" />

/** Every page of the reference as text, by its file name. */
export const pages: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>('../../docs/reference/*.md', {
      query: '?raw',
      eager: true,
      import: 'default',
    }),
  ).map(([path, text]) => [path.replace(/^.*\//, ''), text]),
)

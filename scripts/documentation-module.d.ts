/** The Markdown of the documentation by name of its page; `scripts/documentation-texts.ts` makes the module. */
declare module 'lacewing:documentation' {
  export const texts: Readonly<Record<string, string>>
}

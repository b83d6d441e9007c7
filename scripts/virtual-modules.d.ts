/** Made by documentation-texts.ts. */
declare module 'lacewing:documentation' {
  /** The Markdown of the documentation by the name of its page. */
  export const texts: Readonly<Record<string, string>>
}

/** Made by page-assets.ts. */
declare module 'lacewing:assets' {
  /** The paths of what pages load. */
  export const assets: Readonly<Record<'style' | 'patch' | 'script' | 'icon', string>>
}

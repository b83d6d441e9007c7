import type { PageRoute } from '../serve.tsx'

const showProducts = async () => (await import('./products.tsx')).showProducts
const showKeywords = async () => (await import('./keywords.tsx')).showKeywords

export const BROWSE_PAGES: readonly PageRoute[] = [
  { path: '/products', load: showProducts, isLarge: true },
  { path: '/describecomponents.cgi', load: showProducts },
  { path: '/browse.cgi', load: showProducts },
  {
    path: '/products/:name',
    load: async () => (await import('./product.tsx')).showProduct,
    isLarge: true,
  },
  { path: '/keywords', load: showKeywords, isLarge: true },
  { path: '/describekeywords.cgi', load: showKeywords, isLarge: true },
]

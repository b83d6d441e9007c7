/** Images that browsers show and that run nothing. */
export const SHOWN_IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

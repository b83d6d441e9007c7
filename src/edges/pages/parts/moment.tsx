/** A moment of the API in UTC, which the script turns into the zone of the reader. */
export function Moment({ at }: { at: string | undefined }) {
  return at === undefined ? null : <time datetime={at}>{at.slice(0, 16).replace('T', ' ')}</time>
}

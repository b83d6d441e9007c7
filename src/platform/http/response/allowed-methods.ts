/** The methods of a path as a value of `Allow`: HEAD is answered wherever GET is. */
export function joinMethods(methods: readonly string[]): string {
  const all = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...new Set(all)].sort().join(', ')
}

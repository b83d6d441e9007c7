import { ts } from '@ts-morph/common'

/** The compiler of TypeScript 5 as a library, under the name by which the generator of clients imports it. */
export default ts

import { defineFault } from '../../platform/faults/fault.ts'

export const rpcNotReadable = defineFault<{ reason: string }>(
  'rpcNotReadable',
  -32700,
  (d) => `${d.reason}.`,
)
export const rpcCallInvalid = defineFault<{ reason: string }>(
  'rpcCallInvalid',
  -32600,
  (d) => `This is no call: ${d.reason}.`,
)
export const rpcMethodUnknown = defineFault<{ method: string }>(
  'rpcMethodUnknown',
  -32601,
  (d) => `There is no method '${d.method}'.`,
)

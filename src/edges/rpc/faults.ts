import { defineFaults } from '../../platform/faults/fault.ts'

export const { rpcNotReadable, rpcCallInvalid, rpcMethodUnknown } = defineFaults({
  rpcNotReadable: [-32700, '{reason}.'],
  rpcCallInvalid: [-32600, 'This is no call: {reason}.'],
  rpcMethodUnknown: [-32601, "There is no method '{method}'.{hint}"],
})

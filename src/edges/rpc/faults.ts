import { defineFaults } from '../../platform/faults/fault.ts'

export const { rpcNotReadable, rpcMethodUnknown } = defineFaults({
  rpcNotReadable: [-32700, '{reason}.'],
  rpcMethodUnknown: [-32601, "There is no method '{method}'.{hint}"],
})

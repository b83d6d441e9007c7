import { entry } from './entry.ts'

/** Faults of calls by XML-RPC and JSON-RPC. Reference: rpc.md, "Faults". */
export const rpcFaults = {
  rpcNotReadable: entry<{ reason: string }>(-32700, (d) => `${d.reason}.`),
  rpcCallInvalid: entry<{ reason: string }>(-32600, (d) => `This is no call: ${d.reason}.`),
  rpcMethodUnknown: entry<{ method: string }>(-32601, (d) => `There is no method '${d.method}'.`),
} as const

import * as shapes from './shapes.ts'
import { attachFileTool, getAttachmentTool, listAttachmentsTool } from './tools/attachments.ts'
import { fileBugTool, getBugTool, updateBugTool } from './tools/bugs.ts'
import { addCommentTool, getHistoryTool, listCommentsTool } from './tools/discussion.ts'
import { findUsersTool, whoAmITool } from './tools/people.ts'
import { getFieldTool, getProductTool, listProductsTool } from './tools/places.ts'
import { findDuplicatesTool, myRequestsTool, searchBugsTool } from './tools/search.ts'
import type { Schema, Tool } from './types.ts'

/** Every tool, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  searchBugsTool,
  getBugTool,
  listCommentsTool,
  getHistoryTool,
  listAttachmentsTool,
  getAttachmentTool,
  findDuplicatesTool,
  myRequestsTool,
  listProductsTool,
  getProductTool,
  getFieldTool,
  findUsersTool,
  whoAmITool,
  fileBugTool,
  updateBugTool,
  addCommentTool,
  attachFileTool,
]

export function argumentsOf({ effect, takes }: Tool): Readonly<Record<string, Schema>> {
  return effect === 'read' ? takes : { ...takes, idempotency_key: shapes.idempotencyKey }
}

/** A tool as clients list it. */
export function describeTool(tool: Tool) {
  const { name, title, description, effect, required = [], gives } = tool
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object' as const,
      properties: { ...argumentsOf(tool) },
      ...(required.length > 0 && { required: [...required] }),
      additionalProperties: false,
    },
    outputSchema: { type: 'object' as const, properties: { ...gives } },
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'change',
      idempotentHint: effect === 'read',
      openWorldHint: false,
    },
  }
}

import type { Operation } from '../../platform/http/operations/operation.ts'
import { exportFile, exportPart, listExport } from './export.ts'

export const archiveOperations: Operation[] = [listExport, exportFile, exportPart]

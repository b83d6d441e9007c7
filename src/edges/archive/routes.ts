import type { Operation } from '../../platform/http/operations/operation.ts'
import { listBackups, readBackup } from './backups.ts'
import { exportFile, exportPart, listExport } from './export.ts'
import { changeImport, importFile, importPart } from './import.ts'

export const archiveOperations: Operation[] = [
  ...[listExport, exportFile, exportPart, listBackups, readBackup],
  ...[changeImport, importFile, importPart],
]

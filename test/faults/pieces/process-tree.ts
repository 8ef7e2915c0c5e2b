/** How a build ends processes. */
import { ProcessTable } from '../../../src/coordinator/process-table.ts'
import { ProcessTree } from '../../../src/coordinator/process-tree.ts'

export { ProcessTable, ProcessTree }

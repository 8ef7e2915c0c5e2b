/** How a build ends processes. */
import { ProcessTable, ProcessTree } from '../../../src/coordinator/process-tree.ts'

export { ProcessTable, ProcessTree }

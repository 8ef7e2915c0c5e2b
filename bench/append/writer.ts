/** The writer thread with the one use case that is measured. */
import { serveWriter } from '../../src/store/sqlite/writer-thread.ts'
import { useCases } from './use-cases.ts'

await serveWriter(useCases)

/** Entry of SQLite's writer thread: the store's writer with all use cases. */
import '../platform/time/temporal.ts'
import { useCases } from '../services/registry.ts'
import { serveWriter } from '../store/sqlite/writer-thread.ts'

await serveWriter(useCases)

/** AG6: one thing that is set of an agent while it runs: its mode, or an option that it offers, the model among them. */
import * as z from 'zod'
import { storable } from '../text.ts'
import { maxShownLine } from './agent-update.ts'

const Word = z.string().min(1).max(maxShownLine).overwrite(storable)

export const ConfigChange = z.union([
  z.strictObject({ modeId: Word }),
  z.strictObject({ optionId: Word, value: z.union([Word, z.boolean()]) }),
])
export type ConfigChange = z.output<typeof ConfigChange>

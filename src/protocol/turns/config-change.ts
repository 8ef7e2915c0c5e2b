/** AG6: a change to a running agent: its mode, or an option it offers, including the model. */
import * as z from 'zod'
import { storable } from '../text.ts'
import { maxShownLine } from './agent-update.ts'

const Word = z.string().min(1).max(maxShownLine).overwrite(storable)

export const ConfigChange = z.union([
  z.strictObject({ modeId: Word }),
  z.strictObject({ optionId: Word, value: z.union([Word, z.boolean()]) }),
])
export type ConfigChange = z.output<typeof ConfigChange>

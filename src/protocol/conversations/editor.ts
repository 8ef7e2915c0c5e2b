/** The settings of an editor that starts `holdfast acp` (EC11). */
import * as z from 'zod'
import { editors } from '../../domain/conversations/editor-settings.ts'

export const EditorSettings = z.object({
  editor: z.enum(editors),
  /** Where it belongs. */
  file: z.string(),
  text: z.string(),
})
export type Editor = z.output<typeof EditorSettings>['editor']

/** Notices on the wire: a code with parameters beside English words. */
import * as z from 'zod'
import { notice, type Notice as Told } from '../domain/notices.ts'

/** A parameter is text, a number, or a notice itself. */
export const Notice = z.object({ code: z.string(), params: z.record(z.string(), z.unknown()) }) as unknown as z.ZodType<Told>
export type Notice = Told

/** What a refinement of a schema says: its words, and for `checked` its notice. */
export function refusedAs(code: string, params: Readonly<Record<string, string | number>>, form: string) {
  const told = notice(code, params, form)
  return { error: told.text, params: told }
}

/** Words people type: trimmed, not empty, bounded, without control characters. */

import * as z from 'zod'
import { labelForm } from '../domain/projects/settings.ts'
import { refusedAs } from './notices.ts'
import { hasUnseenCharacters } from './unseen-characters.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const controlCharacters = /[\u0000-\u001f\u007f]/

/** A name, or something else shown among names (SE13). */
export const line = (max: number) =>
  anyLine(max).refine((text) => !hasUnseenCharacters(text), refusedAs('noUnseenCharacters'))

/** Search text, and names in files of earlier builds. */
export const anyLine = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !controlCharacters.test(text), refusedAs('noControlCharacters'))

/** No database stores NUL. */
export const withoutNul = (text: z.ZodString) =>
  text.refine((given) => !given.includes('\u0000'), refusedAs('noNul'))

/** Any text; lone surrogates become U+FFFD. */
export const longText = (max: number) =>
  withoutNul(z.string().max(max)).overwrite((text) => text.toWellFormed())

/** Text of other programs, made storable. */
export const storable = (text: string): string => text.replaceAll('\u0000', '\u2400').toWellFormed()

/** An id as returned by a client. */
export const Id = withoutNul(z.string().min(1).max(200))

/** An id that a person may choose; used in URLs, file names and environment variables. */
export const ChosenId = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/,
    'use lower-case letters, digits, - and _ (1 to 64, not at the ends)',
  )

/** The name of a chat panel (CH5), chosen by the page that opens it. */
export const PanelId = z
  .string()
  .regex(/^[\w.:-]{1,100}$/, 'use letters, digits, . : - and _ (1 to 100)')

/** Comma-separated. */
const maxPanelsPerReader = 50
export const PanelIds = z
  .string()
  .max(maxPanelsPerReader * 101)
  .refine((text) => text.split(',').length <= maxPanelsPerReader, `at most ${maxPanelsPerReader}`)
  .refine(
    (text) => text.split(',').every((each) => PanelId.safeParse(each).success),
    'are names of panels, with commas between',
  )

export const Time = z.iso.datetime({ precision: 3 })

export const YesOrNo = z.stringbool({ truthy: ['true'], falsy: ['false'] }).default(false)

export const Label = z
  .string()
  .regex(labelForm, 'is no label: use small letters, digits, . _ and -')

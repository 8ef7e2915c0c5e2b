/**
 * The content of a prompt: text, images, files, links to files. Sent over the relay and the
 * coordinator's link.
 */
import * as z from 'zod'
import { longText } from '../text.ts'
import { maxShownLine } from './agent-update.ts'

/** Characters of a whole prompt; a message on the wire is at most 1 MiB. */
export const maxPromptChars = 900_000
export const maxPromptParts = 50

const Line = z.string().min(1).max(maxShownLine)
const Text = longText(maxPromptChars)

export const PromptPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: Text }),
  z.object({ type: z.literal('image'), mimeType: Line, base64: z.base64().max(maxPromptChars) }),
  /** `uri`: where it is from, so that its agent can tell which file it is. */
  z.object({
    type: z.literal('file'),
    name: Line,
    mimeType: Line,
    text: Text,
    uri: Line.optional(),
  }),
  /** A file the agent can read by itself. */
  z.object({ type: z.literal('link'), name: Line, uri: Line }),
])
export type PromptPart = z.output<typeof PromptPart>

/** Characters of all attachments of a chat message, which fits a request of 1 MiB with its text. */
const maxAttachedChars = 700_000

/** AG14: what is attached to a chat message, kept as its `media`. */
export const Attachments = z
  .array(PromptPart.refine(({ type }) => type !== 'text', 'must be an image, a file or a link'))
  .max(maxPromptParts)
  .refine(
    (parts) => JSON.stringify(parts).length <= maxAttachedChars,
    `must not be longer than ${maxAttachedChars} characters`,
  )

/** The attachments among a message's `media`, which may hold what other programs put there. */
export const attachmentsIn = (media: unknown): PromptPart[] =>
  Array.isArray(media) ? media.flatMap((each) => PromptPart.safeParse(each).data ?? []) : []

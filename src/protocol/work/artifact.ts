/** Artifacts on the wire (CK5): files made by a work session. */
import * as z from 'zod'
import { Time } from '../text.ts'

/** SE8. */
export const maxArtifactBytes = 100 * 1024 * 1024
export const maxArtifactsOfWorkSession = 1000
export const anyBytes = 'application/octet-stream'

export const Artifact = z.object({
  name: z.string(),
  sessionId: z.string(),
  size: z.number().int(),
  mediaType: z.string(),
  sha256: z.string(),
  createdAt: Time,
  updatedAt: Time,
})
export type Artifact = z.output<typeof Artifact>

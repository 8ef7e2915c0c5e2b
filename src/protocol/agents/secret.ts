/**
 * Secrets of a project (SR), given to chosen agents as variable or file. No answer and no event
 * ever has a value.
 */
import * as z from 'zod'
import { refusedAs } from '../notices.ts'
import { route } from '../route.ts'
import { Id, Time, withoutNul } from '../text.ts'

const many = '/api/projects/{projectId}/secrets'

export const maxSecretsPerProject = 100
export const maxSecretUses = 200
/** Shorter values are ordinary words, which cannot be masked in what agents write. */
const minSecretChars = 8
const maxSecretChars = 65_536
const maxSecretAgents = 200

/**
 * The name of the variable that an agent gets; for a file, the variable has _FILE at its end and is
 * its path.
 */
export const SecretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/)
  .refine((name) => !/^HOLDFAST_/i.test(name), refusedAs('secretNameOurs'))

const secretForms = ['environment', 'file'] as const
export type SecretForm = (typeof secretForms)[number]

export const SecretUse = z.object({
  agentId: z.string(),
  launchId: z.string(),
  /** `gateway`: added to its requests on the way out; the agent never had it. */
  givenAs: z.enum([...secretForms, 'gateway']),
  usedAt: Time,
})
export type SecretUse = z.output<typeof SecretUse>

export const Secret = z.object({
  name: z.string(),
  givenAs: z.enum(secretForms),
  /** The agents that get it; none: it can still be the key of a gateway. */
  agentIds: z.array(z.string()),
  createdAt: Time,
  updatedAt: Time,
  updatedBy: z.string(),
  lastUse: SecretUse.nullable(),
})
export type Secret = z.output<typeof Secret>

const SecretChange = z.strictObject({
  value: withoutNul(z.string().min(minSecretChars).max(maxSecretChars)).optional(),
  givenAs: z.enum(secretForms).optional(),
  agentIds: z.array(Id).max(maxSecretAgents).optional(),
})

const secretParams = z.object({ projectId: Id, name: SecretName })

export const secretRoutes = {
  listSecrets: route({
    method: 'GET',
    path: many,
    summary:
      'List the secrets of a project by name, with the agents that get them and their last ' +
      'use; never their values',
    answer: z.object({ items: z.array(Secret) }),
  }),
  setSecret: route({
    method: 'PUT',
    path: `${many}/{name}`,
    summary:
      'Set a secret: its value, how it is given (`environment` or `file`), and to which ' +
      'agents; what is left out stays',
    params: secretParams,
    body: SecretChange,
    answer: Secret,
  }),
  removeSecret: route({
    method: 'DELETE',
    path: `${many}/{name}`,
    summary: 'Remove a secret; processes that were given it keep it until they end',
    params: secretParams,
  }),
  listSecretUses: route({
    method: 'GET',
    path: `${many}/{name}/uses`,
    summary: 'List which launches were given a secret, newest first, to 200',
    params: secretParams,
    answer: z.object({ items: z.array(SecretUse) }),
  }),
}

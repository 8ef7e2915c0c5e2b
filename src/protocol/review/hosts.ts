/** Hosts that work is pushed to, and their tokens (LD8): set, never shown. */
import * as z from 'zod'
import { route } from '../route.ts'
import { Id, Time } from '../text.ts'

export const HostKind = z.enum(['github', 'git'])
export type HostKind = z.output<typeof HostKind>

export const Host = z.object({
  host: z.string(),
  kind: HostKind,
  account: z.string().nullable().describe('Whose token it is, as the host says'),
  projectId: z.string().nullable().describe('null: your own'),
  by: z.string(),
  setAt: Time,
})
export type Host = z.output<typeof Host>

const Token = z
  .string()
  .min(1)
  .max(4000)
  .regex(/^[\x21-\x7e]+$/, 'is one word of printable characters')

export const hostRoutes = {
  listHosts: route({
    method: 'GET',
    path: '/api/hosts',
    summary: 'List the hosts that you, or projects, have a token for; never the tokens',
    answer: z.object({ items: z.array(Host) }),
  }),
  setHost: route({
    method: 'PUT',
    path: '/api/hosts/{host}',
    summary:
      'Set the token for a host (`github.com`, `git.example.com:8443`), which is tried at once; ' +
      'a project’s needs `manage`. http is taken for this machine alone',
    body: z.strictObject({
      token: Token,
      projectId: Id.optional(),
      kind: HostKind.optional().describe('github for github.com, else git'),
    }),
    answer: Host,
  }),
  removeHost: route({
    method: 'DELETE',
    path: '/api/hosts/{host}',
    summary: 'Remove your token for a host, or a project’s',
    query: z.object({ projectId: Id.optional() }),
  }),
  setRemote: route({
    method: 'PUT',
    path: '/api/projects/{projectId}/remote',
    summary: 'Confirm the address that a project’s work is pushed to',
    body: z.strictObject({ address: z.string().trim().min(1).max(2000) }),
    answer: z.object({ address: z.string() }),
  }),
}

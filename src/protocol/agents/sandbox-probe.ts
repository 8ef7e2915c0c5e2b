/**
 * Whether an agent can run in a sandbox of the server's machine, tried before it is added (SB8).
 */
import * as z from 'zod'
import { sandboxModes } from '../../domain/agents/isolation.ts'

export const SandboxProbe = z.object({
  machine: z.object({
    /** The program that is used; null: none is known for this system. */
    tool: z.enum(['bubblewrap', 'sandbox-exec']).nullable(),
    /** null: it is not there. */
    version: z.string().nullable(),
    /** Whether an ordinary user may make user namespaces; null: unknown here. */
    userNamespaces: z.boolean().nullable(),
    /** The tool was tried and works. */
    works: z.boolean(),
    problem: z.string().nullable(),
    install: z.string().nullable().describe('The command that installs what is missing'),
  }),
  agent: z.object({
    known: z.boolean().describe('Its data say what it needs in a sandbox'),
    runs: z.boolean().describe('Its program was started inside'),
  }),
  /** What the page and `agents add` choose. */
  choose: z.enum(sandboxModes),
})
export type SandboxProbe = z.output<typeof SandboxProbe>

/**
 * How an agent's processes are isolated, on the wire (SB1): of an agent's entry, and of its
 * assignment to a project.
 */
import * as z from 'zod'
import { sandboxModes } from '../../domain/agents/isolation.ts'
import { refusedAs } from '../notices.ts'
import { line, withoutNul } from '../text.ts'
import { SecretName } from './secret.ts'

/**
 * A folder on the machine that runs the agent. The root, and what would show everything of it, is
 * no folder to allow.
 */
const Folder = line(4096).refine(
  (path) => /^\/[^/]/.test(path) && !path.split('/').includes('..'),
  refusedAs('absolutePath'),
)
const Host = z
  .string()
  .max(300)
  .regex(
    /^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/,
    'is no name of a host',
  )
  .overwrite((name) => name.toLowerCase())

const Allow = z.strictObject({
  folders: z.array(Folder).max(100).default([]),
  hosts: z.array(Host).max(200).default([]),
  state: z.array(Folder).max(50).default([]),
})
const Wrapper = z
  .array(withoutNul(z.string().min(1).max(8192)))
  .min(1)
  .max(64)

/** GW1: where its requests to a model go, and the project's secret that is added to them. */
const Gateway = z.strictObject({
  upstream: line(2000).refine((text) => {
    const url = URL.parse(text)
    const isPlain = url && url.username + url.password + url.search + url.hash === ''
    return isPlain && (url.protocol === 'https:' || url.protocol === 'http:')
  }, refusedAs('upstreamUrl')),
  secret: SecretName,
  model: line(200).nullish(),
})

/** As sent. Null takes a choice back: of an assignment, so that the agent's counts. */
export const isolationFields = {
  sandbox: z.enum(sandboxModes).nullable(),
  allow: Allow.nullable(),
  wrapper: Wrapper.nullable(),
  gateway: Gateway.nullable(),
}

export const shownIsolation = {
  /**
   * `off`; `workplace`: its workplace, its settings and the internet; `strict`: also only the
   * allowed hosts.
   */
  sandbox: z.enum(sandboxModes),
  /**
   * Additional folders it may read, hosts it may reach, and what its own home begins with, where it
   * has one (SB14).
   */
  allow: z.object({
    folders: z.array(z.string()).readonly(),
    hosts: z.array(z.string()).readonly(),
    state: z.array(z.string()).readonly(),
  }),
  /** A command put in front of its own, such as `nix develop -c`. */
  wrapper: z.array(z.string()).readonly().nullable(),
  /**
   * GW1: its requests to a model go through the coordinator, which adds the key; null: they do not.
   */
  gateway: z
    .object({ upstream: z.string(), secret: z.string(), model: z.string().nullish() })
    .nullable(),
}

export const AssignmentDraft = z.strictObject(isolationFields).partial()

export const Assignment = z.object({
  projectId: z.string(),
  agentId: z.string(),
  ...shownIsolation,
  /** null: as the agent's entry says. */
  sandbox: z.enum(sandboxModes).nullable(),
  /** What a launch gets: the assignment's choice before the agent's, and what both allow. */
  effective: z.object(shownIsolation),
})
export type Assignment = z.output<typeof Assignment>

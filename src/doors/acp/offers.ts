/**
 * What the agent of a session lets people set, its commands and the use of its context, in the
 * words of the protocol. Pure.
 */
import type { ChatOptions } from '../../protocol/conversations/chat-options.ts'
import type { Offers } from '../../protocol/threads/offers.ts'
import type { AgentOption } from '../../protocol/turns/agent-update.ts'
import { costFrom } from '../../protocol/turns/cost.ts'
import type { AcpUpdate } from './updates.ts'

export type AcpOption = Extract<
  AcpUpdate,
  { sessionUpdate: 'config_option_update' }
>['configOptions'][number]

export interface AcpOffers {
  readonly modes?: {
    readonly currentModeId: string
    readonly availableModes: { id: string; name: string; description: string | null }[]
  }
  readonly configOptions: AcpOption[]
}

/** `booleans`: the editor shows options that are on or off. */
export function offersOf({ modes, modeId, options }: ChatOptions, booleans: boolean): AcpOffers {
  const configOptions = options.flatMap((option) => optionOf(option, booleans) ?? [])
  const current = modeId ?? modes[0]?.id
  if (current === undefined) return { configOptions }
  const availableModes = modes.map((mode) => ({ ...mode }))
  return { modes: { currentModeId: current, availableModes }, configOptions }
}

function optionOf(option: AgentOption, booleans: boolean): AcpOption | undefined {
  const { id, name, category, value, values } = option
  const named = { id, name, ...(category !== null && { category }) }
  if (typeof value === 'boolean')
    return booleans ? { ...named, type: 'boolean', currentValue: value } : undefined
  const choices = values.map((each) => ({ value: each.id, name: each.name }))
  return { ...named, type: 'select', currentValue: value, options: choices }
}

const differs = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) !== JSON.stringify(other)

/** `before`: as the editor was told. */
export function changesOf(before: AcpOffers, now: AcpOffers): readonly AcpUpdate[] {
  const updates: AcpUpdate[] = []
  const mode = now.modes?.currentModeId
  if (mode !== undefined && mode !== before.modes?.currentModeId)
    updates.push({ sessionUpdate: 'current_mode_update', currentModeId: mode })
  const { configOptions } = now
  if (differs(before.configOptions, configOptions))
    updates.push({ sessionUpdate: 'config_option_update', configOptions })
  return updates
}

type Said = Pick<Offers, 'commands' | 'usage'>

export function saidOf(before: Said, now: Said): readonly AcpUpdate[] {
  const updates: AcpUpdate[] = []
  if (differs(before.commands, now.commands))
    updates.push({
      sessionUpdate: 'available_commands_update',
      availableCommands: now.commands.map(({ name, description, hint }) => ({
        name,
        description,
        ...(hint !== null && { input: { hint } }),
      })),
    })
  if (now.usage && differs(before.usage, now.usage)) {
    const { used, size, cost } = now.usage
    const amount = cost === null ? undefined : costFrom(cost)
    updates.push({ sessionUpdate: 'usage_update', used, size, ...(amount && { cost: amount }) })
  }
  return updates
}

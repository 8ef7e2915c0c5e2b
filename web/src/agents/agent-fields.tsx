/** The fields of an agent, the same for a new one and for one that is changed. */

import { sandboxModes } from '../../../src/protocol/agents/sandbox-modes.ts'
import { Choices } from '../parts/choices.tsx'
import { TextAreaField, TextField } from '../parts/field.tsx'
import { useWords } from '../translations/messages.tsx'
import type { AgentProblems, AgentTexts } from './agent-draft.ts'
import { EnvFields } from './env-fields.tsx'

interface AgentFieldsProps {
  readonly texts: AgentTexts
  readonly onTexts: (texts: AgentTexts) => void
  readonly problems: AgentProblems
  /** Whether to mark missing fields too. */
  readonly tried: boolean
  readonly isNew: boolean
}

export function AgentFields({ texts, onTexts, problems, tried, isNew }: AgentFieldsProps) {
  const words = useWords()
  const { agents } = words
  const set = (change: Partial<AgentTexts>) => onTexts({ ...texts, ...change })
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={agents.name}
          placeholder={agents.nameExample}
          value={texts.name}
          onValue={(name) => set({ name })}
          error={tried ? problems.name : undefined}
          required
        />
        <TextField
          label={agents.role}
          hint={agents.roleHint}
          optional
          maxLength={100}
          value={texts.role}
          onValue={(role) => set({ role })}
        />
      </div>
      {isNew && (
        <TextField
          label={agents.id}
          hint={agents.idHint}
          optional
          mono
          value={texts.id}
          onValue={(id) => set({ id })}
          error={problems.id}
        />
      )}
      <Choices
        label={agents.protocol}
        value={texts.protocol}
        onValue={(protocol) => set({ protocol })}
        options={[
          { value: 'acp', name: agents.acp, hint: agents.acpHint },
          { value: 'mcp', name: agents.mcp, hint: agents.mcpHint },
        ]}
      />
      <TextField
        label={agents.command}
        hint={agents.commandHint}
        optional
        mono
        placeholder="claude-code-acp"
        value={texts.command}
        onValue={(command) => set({ command })}
      />
      <TextAreaField
        label={agents.args}
        hint={agents.argsHint}
        optional
        rows={2}
        value={texts.args}
        onValue={(args) => set({ args })}
      />
      <EnvFields
        entries={texts.env}
        problems={problems.env}
        tried={tried}
        onEntries={(env) => set({ env })}
      />
      <Choices
        label={agents.sandbox}
        value={texts.sandbox}
        onValue={(sandbox) => set({ sandbox })}
        options={[...(isNew ? (['auto'] as const) : []), ...sandboxModes].map((value) => ({
          value,
          name: agents.sandboxes[value],
          hint: agents.sandboxHints[value],
        }))}
      />
      {texts.sandbox !== 'off' && texts.sandbox !== 'auto' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextAreaField
            label={agents.allowFolders}
            hint={agents.allowFoldersHint}
            optional
            rows={2}
            value={texts.allowFolders}
            onValue={(allowFolders) => set({ allowFolders })}
          />
          <TextAreaField
            label={agents.allowHosts}
            hint={agents.allowHostsHint}
            optional
            rows={2}
            value={texts.allowHosts}
            onValue={(allowHosts) => set({ allowHosts })}
          />
          <TextAreaField
            label={agents.allowState}
            hint={agents.allowStateHint}
            optional
            rows={2}
            value={texts.allowState}
            onValue={(allowState) => set({ allowState })}
          />
        </div>
      )}
      <TextAreaField
        label={agents.wrapper}
        hint={agents.wrapperHint}
        optional
        rows={2}
        value={texts.wrapper}
        onValue={(wrapper) => set({ wrapper })}
      />
      <Choices
        label={agents.gateway}
        value={texts.hasGateway ? 'on' : 'off'}
        onValue={(value) => set({ hasGateway: value === 'on' })}
        options={(['off', 'on'] as const).map((value) => ({
          value,
          name: agents.gateways[value],
          hint: agents.gatewayHints[value],
        }))}
      />
      {texts.hasGateway && (
        <>
          <TextField
            label={agents.upstream}
            mono
            placeholder="https://api.anthropic.com"
            value={texts.upstream}
            onValue={(upstream) => set({ upstream })}
            error={tried ? problems.upstream : undefined}
            required
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={agents.gatewaySecret}
              hint={agents.gatewaySecretHint}
              mono
              placeholder="ANTHROPIC_KEY"
              value={texts.gatewaySecret}
              onValue={(gatewaySecret) => set({ gatewaySecret })}
              error={tried ? problems.gatewaySecret : undefined}
              required
            />
            <TextField
              label={agents.gatewayModel}
              hint={agents.gatewayModelHint}
              optional
              mono
              value={texts.gatewayModel}
              onValue={(gatewayModel) => set({ gatewayModel })}
            />
          </div>
        </>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={agents.maxProcesses}
          hint={agents.maxProcessesHint}
          optional
          inputMode="numeric"
          value={texts.maxProcesses}
          onValue={(maxProcesses) => set({ maxProcesses })}
          error={problems.maxProcesses}
        />
        <TextField
          label={agents.holdSeconds}
          hint={agents.holdSecondsHint}
          optional={isNew}
          inputMode="numeric"
          value={texts.holdSeconds}
          onValue={(holdSeconds) => set({ holdSeconds })}
          error={problems.holdSeconds}
        />
      </div>
    </>
  )
}

/**
 * Makes a token for a script, a coordinator or an editor and shows it, once. It gets only the
 * scopes that are ticked.
 */
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Token, TokenWithSecret } from '../../../src/protocol/access/people.ts'
import { useDraft } from '../live/draft.ts'
import { client, invalidate, tokens, useMe } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { SubmitButton } from '../parts/button.tsx'
import { nameProblem } from '../parts/checks.ts'
import { Choices } from '../parts/choices.tsx'
import { InputDialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { type Secret, SecretDialog } from '../parts/secret-dialog.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'

const kinds = ['script', 'coordinator', 'door'] as const satisfies readonly Token['kind'][]
const lifetimes = ['30', '90', '365', 'never'] as const
const scopes = ['read', 'write', 'approve', 'manage'] as const
type Scope = (typeof scopes)[number]
const dayMs = 86_400_000

interface TokenDraft {
  readonly name: string
  readonly kind: Token['kind']
  readonly scopes: readonly Scope[]
  readonly lifetime: (typeof lifetimes)[number]
}

interface CreationProps {
  readonly layout: (fields: ReactNode, submit: ReactNode) => ReactNode
  readonly onClose: () => void
  /** Only for an editor, whose token is shown in its address. */
  readonly editor?: {
    readonly title: string
    readonly about: string
    readonly shown: (token: string) => Secret
  }
}

export function TokenCreation({ layout, onClose, editor }: CreationProps) {
  const words = useWords()
  const forScript: TokenDraft = { name: '', kind: 'script', scopes: ['read'], lifetime: '90' }
  const forEditor: TokenDraft = { ...forScript, name: 'VS Code', kind: 'door', scopes }
  const [draft, setDraft, clearDraft] = useDraft(
    editor ? 'new-editor' : 'new-token',
    editor ? forEditor : forScript,
  )
  const [tried, setTried] = useState(false)
  const [made, setMade] = useState<TokenWithSecret>()
  const { waiting, error, send, stop } = useSending<TokenWithSecret>()
  const set = (change: Partial<TokenDraft>) => setDraft({ ...draft, ...change })
  const hasScopes = draft.kind !== 'coordinator'
  const noScope = hasScopes && chosenOf(draft).length === 0

  async function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (nameProblem(draft.name, words) || noScope) return
    const token = await send(draft, (options) =>
      client.post('/api/tokens', { body: bodyOf(draft), ...options }),
    )
    if (!token) return
    clearDraft()
    setMade(token)
    void invalidate(tokens.queryKey)
  }

  if (made && editor) return <SecretDialog secret={editor.shown(made.token)} onClose={onClose} />
  if (made) {
    const text = made.kind === 'script' ? words.tokens.onceText : undefined
    const secret = { title: words.tokens.once(made.name), value: made.token, ...(text && { text }) }
    return <SecretDialog secret={secret} onClose={onClose} />
  }
  const fields = (
    <>
      {editor && <p className="text-quiet">{editor.about}</p>}
      <TextField
        label={words.tokens.name}
        placeholder={words.tokens.nameExample}
        value={draft.name}
        onValue={(name) => set({ name })}
        error={tried ? nameProblem(draft.name, words) : undefined}
        required
      />
      {!editor && (
        <Choices
          label={words.tokens.kind}
          value={draft.kind}
          onValue={(kind) => set({ kind })}
          options={kinds.map((kind) => ({
            value: kind,
            name: words.tokens.kinds[kind],
            hint: words.tokens.kindHints[kind],
          }))}
        />
      )}
      {hasScopes && (
        <Scopes
          offered={offeredTo(draft.kind)}
          chosen={draft.scopes}
          onChosen={(next) => set({ scopes: next })}
          problem={tried && noScope}
        />
      )}
      <Choices
        label={words.tokens.expires}
        value={draft.lifetime}
        onValue={(lifetime) => set({ lifetime })}
        options={lifetimes.map((each) => ({ value: each, name: words.tokens.lifetimes[each] }))}
      />
      <ProblemNote error={error} typed />
      <SlowAnswer waiting={waiting} onStop={stop} />
    </>
  )
  return (
    <InputDialog open title={editor?.title ?? words.tokens.new} onClose={onClose}>
      <form onSubmit={submit} noValidate className="contents">
        {layout(fields, <SubmitButton waiting={waiting}>{words.act.create}</SubmitButton>)}
      </form>
    </InputDialog>
  )
}

/** The expiry to the day, so that sending the same form again is the same request. */
function bodyOf(draft: TokenDraft) {
  const { name, kind, lifetime } = draft
  const end = Math.ceil(Date.now() / dayMs) * dayMs + Number(lifetime) * dayMs
  return {
    name: name.trim(),
    kind,
    ...(kind !== 'coordinator' && { scopes: chosenOf(draft) }),
    ...(lifetime !== 'never' && { expiresAt: new Date(end).toISOString() }),
  }
}

/** An editor's token stands in an address, so it manages nothing. */
const offeredTo = (kind: Token['kind']): readonly Scope[] =>
  kind === 'door' ? scopes.filter((scope) => scope !== 'manage') : scopes

const chosenOf = ({ kind, scopes: chosen }: TokenDraft): Scope[] =>
  offeredTo(kind).filter((scope) => chosen.includes(scope))

interface ScopesProps {
  readonly offered: readonly Scope[]
  readonly chosen: readonly Scope[]
  readonly onChosen: (scopes: readonly Scope[]) => void
  readonly problem: boolean
}

function Scopes({ offered, chosen, onChosen, problem }: ScopesProps) {
  const words = useWords()
  // Nobody gives what they do not have.
  const mine = useMe()?.scopes ?? []
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{words.tokens.scopes}</legend>
      {offered
        .filter((scope) => mine.includes(scope))
        .map((scope) => (
          <label key={scope} className="flex min-h-7 items-center gap-2 max-md:min-h-10">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={chosen.includes(scope)}
              onChange={(event) =>
                onChosen(
                  scopes.filter((each) =>
                    each === scope ? event.target.checked : chosen.includes(each),
                  ),
                )
              }
            />
            {words.tokens.scopeNames[scope]}
          </label>
        ))}
      {problem && (
        <p role="alert" className="text-sm text-bad">
          {words.tokens.scopeNeeded}
        </p>
      )}
    </fieldset>
  )
}

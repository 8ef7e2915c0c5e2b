/**
 * The tokens of scripts and coordinators, and revoking one: whatever uses it stops at once, so it
 * asks.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { madeBelow } from '../../../src/protocol/access/made-below.ts'
import type { Token } from '../../../src/protocol/access/people.ts'
import { client, queryClient, refetch, tokens } from '../live/queries.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { ConfirmSending } from '../parts/confirm-sending.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { notify } from '../parts/notices.tsx'
import { Rows, Section } from '../parts/page.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { Ago } from '../parts/time.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'

export function TokenList() {
  const words = useWords()
  const { data, error } = useQuery(tokens)
  const [revoking, setRevoking] = useState<Token>()
  return (
    <Section
      title={words.tokens.title}
      note={words.tokens.about}
      actions={
        <Link to="." search={{ new: 'token' }} className={buttonClass()}>
          <PlusIcon />
          {words.tokens.new}
        </Link>
      }
    >
      <ProblemNote error={error} onRetry={() => void refetch(tokens)} />
      {!data && !error && (
        <Waiting what={words.things.tokens} onRetry={() => void refetch(tokens)} />
      )}
      {data?.length === 0 && (
        <p className="border-y border-line py-3 text-faint">{words.tokens.none}</p>
      )}
      {data && data.length > 0 && (
        <Rows label={words.tokens.title}>
          {data.map((token) => (
            <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </Rows>
      )}
      {revoking && (
        <RevokeToken token={revoking} all={data ?? []} onClose={() => setRevoking(undefined)} />
      )}
    </Section>
  )
}

function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const words = useWords()
  const { day } = useWriting()
  return (
    <li className="list-row flex min-h-11 flex-wrap items-center gap-x-3 py-1.5">
      <span className="min-w-0 truncate font-medium">{token.name}</span>
      <span className="text-quiet">{words.tokens.kindNames[token.kind]}</span>
      {token.kind !== 'coordinator' && (
        <span className="text-sm text-faint">
          {token.scopes.map((scope) => words.tokens.scopeShort[scope] ?? scope).join(' · ')}
        </span>
      )}
      <span className="text-sm text-faint">
        {words.tokens.madeBy(token.createdByName ?? token.createdBy)}
      </span>
      <span className="-mr-3 ml-auto flex items-center gap-3 text-sm text-faint">
        <span>
          {token.expiresAt ? words.tokens.expiresAt(day(token.expiresAt)) : words.tokens.noEnd}
        </span>
        <Ago at={token.createdAt} className="max-sm:hidden" />
        <Button
          look="quiet"
          className="text-base"
          aria-label={words.tokens.revokeName(token.name)}
          onClick={onRevoke}
        >
          {words.act.revoke}
        </Button>
      </span>
    </li>
  )
}

function RevokeToken({
  token,
  all,
  onClose,
}: {
  token: Token
  all: readonly Token[]
  onClose: () => void
}) {
  const words = useWords()
  const below = madeBelow(token.id, all)
  const [withMade, setWithMade] = useState(true)
  const params = { tokenId: token.id }
  const query = { made: withMade ? ('revoke' as const) : ('keep' as const) }
  const onDone = () => {
    const gone = new Set([token.id, ...(withMade ? below.map(({ id }) => id) : [])])
    queryClient.setQueryData(tokens.queryKey, (known) =>
      known?.filter((each) => !gone.has(each.id)),
    )
    notify(words.tokens.revoked(token.name))
  }
  return (
    <ConfirmSending
      open
      onClose={onClose}
      title={words.tokens.revokeTitle(token.name)}
      act={words.act.revoke}
      content={{ ...params, ...query }}
      request={(options) => client.delete('/api/tokens/{tokenId}', { params, query, ...options })}
      onDone={onDone}
    >
      <p>{words.tokens.revokeText}</p>
      {below.length > 0 && (
        <label className="flex items-baseline gap-2">
          <input
            type="checkbox"
            checked={withMade}
            onChange={(event) => setWithMade(event.target.checked)}
            className="size-4 accent-(--accent)"
          />
          <span>{words.tokens.revokeMade(below.map(({ name }) => name).join(', '))}</span>
        </label>
      )}
    </ConfirmSending>
  )
}

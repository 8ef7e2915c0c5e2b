/**
 * Signing in by the link (SE1): takes the code out of the address, cleans the address, exchanges
 * the code for the cookie, and goes where the person wanted. Without a good code it says calmly how
 * to get a new link.
 */
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { setConnection, useConnection } from '../live/connection.ts'
import { client, isSignedIn, isSignedOut, queryClient } from '../live/queries.ts'
import { SubmitButton } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { focusFirstInvalid } from '../parts/focus-invalid.ts'
import { MarkIcon } from '../parts/icons.tsx'
import { useTitle } from '../parts/page.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords } from '../translations/messages.tsx'
import { loginFrom, takeCode } from './credential-text.ts'
import { isInternalPath } from './internal-path.ts'
import { takeReturnPath } from './return-path.ts'

export function SignInPage() {
  const words = useWords()
  useTitle(words.signIn.title)
  const { waiting, error, signIn, stop } = useSignIn()
  const refused = isSignedOut(error)
  const connection = useConnection()
  const lead =
    connection.state === 'signed-out' && connection.ended ? words.signIn.ended : words.signIn.lead
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-5 px-4 py-12">
      <div className="flex items-center gap-2.5">
        <MarkIcon className="size-7 text-accent" />
        <span className="text-xl font-semibold">{words.product}</span>
      </div>
      {waiting ? (
        <>
          <h1 className="text-lg font-semibold">{words.signIn.working}</h1>
          <SlowAnswer waiting onStop={stop} />
        </>
      ) : (
        <>
          <div className="flex flex-col gap-1.5">
            <h1 className="text-lg font-semibold">
              {refused ? words.signIn.used : words.signIn.title}
            </h1>
            <p className="text-quiet">{refused ? words.signIn.usedWhy : lead}</p>
          </div>
          <div className="flex flex-col gap-2">
            <p>{words.signIn.getNew}</p>
            <code className="rounded-md bg-sunken px-3 py-2 font-mono text-sm shadow-[inset_0_0_0_1px_var(--edge)] select-all">
              holdfast open
            </code>
            <p className="text-sm text-faint">
              {words.signIn.inClone} <code className="font-mono">npm run -s holdfast -- open</code>
            </p>
          </div>
          {error === 'no-cookie' ? (
            <p role="alert" className="rounded-md bg-bad-wash px-3 py-2 text-bad">
              {words.signIn.noCookie}
            </p>
          ) : (
            !refused && <ProblemNote error={error} typed />
          )}
          {refused && (
            <p className="font-mono text-xs text-faint">
              {words.problem.code(problemIn(error)?.code ?? '')}
            </p>
          )}
          <PasteForm onSignIn={signIn} />
        </>
      )}
    </main>
  )
}

function useSignIn() {
  const navigate = useNavigate()
  const { hash, search } = useLocation()
  const [waiting, setWaiting] = useState(() => location.hash.length > 1)
  const [error, setError] = useState<unknown>()
  const to = 'to' in search && isInternalPath(search.to) ? search.to : undefined

  const goOn = useCallback(() => {
    queryClient.clear()
    // The shell leads here for as long as the connection counts as signed out.
    setConnection({ state: 'connecting' })
    void navigate({ to: to ?? takeReturnPath() ?? '/', replace: true })
  }, [navigate, to])

  const signIn = useCallback(
    async (text: string) => {
      setWaiting(true)
      setError(undefined)
      try {
        await client.post('/api/login', { body: loginFrom(text) })
        if (await isSignedIn()) return goOn()
        setError('no-cookie')
        setWaiting(false)
      } catch (failure) {
        setError(failure)
        setWaiting(false)
      }
    },
    [goOn],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new hash in the address is a new link
  useEffect(() => {
    const code = takeCode()
    if (code) void signIn(code)
    else setWaiting(false)
  }, [hash, signIn])

  useEffect(() => {
    // Signed in already, or meanwhile in another tab: go on here too.
    const look = () =>
      void isSignedIn().then(
        (signedIn) => signedIn && goOn(),
        () => undefined,
      )
    if (location.hash.length < 2) look()
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [goOn])

  return { waiting, error, signIn, stop: () => setWaiting(false) }
}

function PasteForm({ onSignIn }: { onSignIn: (text: string) => Promise<void> }) {
  const words = useWords()
  const [text, setText] = useState('')
  const [tried, setTried] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    focusFirstInvalid(event)
    if (text.trim()) void onSignIn(text)
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3 border-t border-line pt-5">
      <TextField
        label={words.signIn.paste}
        type="password"
        value={text}
        onValue={setText}
        error={tried && !text.trim() ? words.signIn.pasteEmpty : undefined}
        mono
      />
      <SubmitButton waiting={false} className="self-start">
        {words.signIn.button}
      </SubmitButton>
    </form>
  )
}

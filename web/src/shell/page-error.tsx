/** Shows that the page itself failed, keeps what was typed, and offers to load it again. */

import { Button } from '../parts/button.tsx'
import { useTitle } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'

export function PageError({ error }: { error: unknown }) {
  const words = useWords()
  useTitle(words.problem.unexpected)
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col items-start justify-center gap-3 px-4">
      <h1 className="text-lg font-semibold">{words.problem.unexpected}</h1>
      <p className="text-quiet">{words.problem.unexpectedNext}</p>
      <p className="font-mono text-xs text-faint">
        {error instanceof Error ? error.message : String(error)}
      </p>
      <Button look="primary" onClick={() => location.reload()}>
        {words.problem.reload}
      </Button>
    </main>
  )
}

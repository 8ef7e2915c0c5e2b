/** When the page itself fails: says so, loses nothing, offers the way out. */

import { Button } from '../parts/button.tsx'
import { useTitle } from '../parts/page.tsx'
import { useWords } from '../translations/messages.tsx'

export function Stumbled({ error }: { error: unknown }) {
  const words = useWords()
  useTitle(words.problem.unexpected)
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col items-start justify-center gap-3 px-4">
      <h1 className="text-lg font-semibold">{words.problem.unexpected}</h1>
      <p className="text-quiet">{words.problem.unexpectedNext}</p>
      <p className="font-mono text-xs text-faint">{error instanceof Error ? error.message : String(error)}</p>
      <Button look="primary" onClick={() => location.reload()}>
        {words.problem.reload}
      </Button>
    </main>
  )
}

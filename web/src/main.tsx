/** Starts the page: words first, then everything else. */
import './styles.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './live/queries.ts'
import { languageChoice, loadMessages, shownLanguage } from './preferences/language.ts'
import { followTheme } from './preferences/theme.ts'
import { router } from './router.tsx'
import { SpeechProvider } from './translations/messages.tsx'

followTheme()

/**
 * Not awaited by this module: the file of the translations may import from the file of this module,
 * and would wait for it.
 */
async function show(): Promise<void> {
  const language = shownLanguage(languageChoice.get())
  const words = await loadMessages(language)
  const place = document.getElementById('root')
  if (!place) throw new Error('index.html has no #root')
  createRoot(place).render(
    <StrictMode>
      {/* The Content-Security-Policy allows no style elements that scripts make. */}
      <CSPProvider disableStyleElements>
        <SpeechProvider first={{ language, words }}>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </SpeechProvider>
      </CSPProvider>
    </StrictMode>,
  )
}

void show()
if (import.meta.env.PROD && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('/service-worker.js')

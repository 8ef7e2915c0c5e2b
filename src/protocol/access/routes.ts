/** Signing in, people, tokens. */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import {
  Login,
  Me,
  Person,
  PersonChange,
  PersonDraft,
  PersonWithNewRole,
  PersonWithToken,
  SignInCode,
  Token,
  TokenDraft,
  TokenWithSecret,
} from './people.ts'

export const accessRoutes = {
  login: route('POST /api/login', 'nobody', {
    summary: 'Exchange a one-time code or a token for the cookie of the browser',
    body: Login,
  }),
  logout: route('POST /api/logout', 'anybody', { summary: 'Sign this browser out' }),
  getMe: route('GET /api/me', 'anybody', { summary: 'Who this credential is', answer: Me }),
  createSignInCode: route('POST /api/sign-in-codes', 'anybody', {
    summary: 'Make a one-time sign-in code for oneself (10 minutes)',
    status: 201,
    answer: SignInCode,
  }),
  listPeople: route('GET /api/people', 'read', { summary: 'List the people', ...listOf(Person) }),
  addPerson: route('POST /api/people', 'manage', {
    summary: 'Add a person; the token is in this answer and never again',
    body: PersonDraft,
    status: 201,
    answer: PersonWithToken,
  }),
  changePerson: route('PATCH /api/people/{personId}', 'manage', {
    summary: 'Change the role of a person; tokens of theirs that allow more are revoked',
    body: PersonChange,
    answer: PersonWithNewRole,
  }),
  renewPerson: route('POST /api/people/{personId}/token', 'manage', {
    summary: 'Give a person a new token; the old one and their browsers stop working at once',
    answer: PersonWithToken,
  }),
  removePerson: route('DELETE /api/people/{personId}', 'manage', {
    summary: 'Remove a person; every credential of theirs stops working at once',
  }),
  listTokens: route('GET /api/tokens', 'manage', { summary: 'List the tokens that are valid', ...listOf(Token) }),
  createToken: route('POST /api/tokens', 'manage', {
    summary:
      'Make a token for a script or a coordinator; it is in this answer and never again. It expires with the token it is made with, at the latest',
    body: TokenDraft,
    status: 201,
    answer: TokenWithSecret,
  }),
  revokeToken: route('DELETE /api/tokens/{tokenId}', 'manage', {
    summary:
      'Revoke a token; it stops working at once, on open connections too. So does all that was made with it, people who were added as well, unless `made` is `keep`',
    query: z.object({ made: z.enum(['revoke', 'keep']).default('revoke') }),
  }),
}

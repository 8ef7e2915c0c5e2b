/** Signing in, people, tokens. */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
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

const personId = z.object({ personId: z.string().max(200) })
const tokenId = z.object({ tokenId: z.string().max(200) })

export const accessRoutes = {
  login: {
    method: 'POST',
    path: '/api/login',
    scope: 'nobody',
    summary: 'Exchange a one-time code or a token for the cookie of the browser',
    body: Login,
    status: 204,
  },
  logout: {
    method: 'POST',
    path: '/api/logout',
    scope: 'anybody',
    summary: 'Sign this browser out',
    status: 204,
  },
  getMe: {
    method: 'GET',
    path: '/api/me',
    scope: 'anybody',
    summary: 'Who this credential is',
    status: 200,
    answer: Me,
  },
  createSignInCode: {
    method: 'POST',
    path: '/api/sign-in-codes',
    scope: 'anybody',
    summary: 'Make a one-time sign-in code for oneself (10 minutes)',
    status: 201,
    answer: SignInCode,
  },
  listPeople: {
    method: 'GET',
    path: '/api/people',
    scope: 'read',
    summary: 'List the people',
    query: PageQuery,
    status: 200,
    answer: pageOf(Person),
  },
  addPerson: {
    method: 'POST',
    path: '/api/people',
    scope: 'manage',
    summary: 'Add a person; the token is in this answer and never again',
    body: PersonDraft,
    status: 201,
    answer: PersonWithToken,
  },
  changePerson: {
    method: 'PATCH',
    path: '/api/people/{personId}',
    scope: 'manage',
    summary: 'Change the role of a person; tokens of theirs that allow more are revoked',
    params: personId,
    body: PersonChange,
    status: 200,
    answer: PersonWithNewRole,
  },
  renewPerson: {
    method: 'POST',
    path: '/api/people/{personId}/token',
    scope: 'manage',
    summary: 'Give a person a new token; the old one and their browsers stop working at once',
    params: personId,
    status: 200,
    answer: PersonWithToken,
  },
  removePerson: {
    method: 'DELETE',
    path: '/api/people/{personId}',
    scope: 'manage',
    summary: 'Remove a person; every credential of theirs stops working at once',
    params: personId,
    status: 204,
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    scope: 'manage',
    summary: 'List the tokens that are valid',
    query: PageQuery,
    status: 200,
    answer: pageOf(Token),
  },
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    scope: 'manage',
    summary:
      'Make a token for a script or a coordinator; it is in this answer and never again. It expires with the token it is made with, at the latest',
    body: TokenDraft,
    status: 201,
    answer: TokenWithSecret,
  },
  revokeToken: {
    method: 'DELETE',
    path: '/api/tokens/{tokenId}',
    scope: 'manage',
    summary:
      'Revoke a token; it stops working at once, on open connections too. So does all that was made with it, people who were added as well, unless `made` is `keep`',
    params: tokenId,
    query: z.object({ made: z.enum(['revoke', 'keep']).default('revoke') }),
    status: 204,
  },
} as const satisfies Record<string, Route>

import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router';
import { FailedPage, MissingPage } from '../pages/missing.page';
import { SignedIn } from '../shell/signed-in';

export const root = createRootRoute({ component: Outlet, notFoundComponent: MissingPage, errorComponent: FailedPage });

/** Parent of all pages that require a session. */
export const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn });

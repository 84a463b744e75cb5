import './page-policy';
import './mantine-styles';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { meQuery } from './api/me';
import { queryClient } from './api/queries';
import { renew } from './api/session';

// Requests the session and its user while the page's code is loading. Ignores errors, because the page retries these
// requests and shows their errors.
renew().then(
  (isSignedIn) => {
    if (isSignedIn) queryClient.query(meQuery).catch(() => undefined);
  },
  () => undefined,
);
const place = document.querySelector('#root');
if (place === null) throw new Error('The page has no root element for the console.');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

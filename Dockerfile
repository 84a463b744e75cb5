# The service alone, on the current Node LTS. For engines, replicas and a load balancer, see docker-compose.yml.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /kontor
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY clients clients
COPY console console
# The inventory also lists development packages, because the build bundles some of them.
RUN npm run build && node scripts/sbom.mjs > sbom.json && npm prune --omit=dev --no-audit --no-fund

FROM node:${NODE_VERSION}-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /kontor
COPY --from=build /kontor/package.json /kontor/sbom.json ./
COPY --from=build /kontor/node_modules node_modules
COPY --from=build /kontor/dist dist
COPY --from=build /kontor/scripts/rotate-signing-key.mjs scripts/
RUN install --directory --owner=node --group=node /data
USER node
VOLUME /data
EXPOSE 3000
# Not /readyz, which is for load balancers: a process that is rebuilding read models is healthy and must not be killed.
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "dist/main.js"]

# The service alone: production packages, no compiler, no root. The runtime is the image's own Node.
FROM node:26-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY console/package.json ./console/
# The console is built in a stage of its own, so nothing is to be prepared here.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26-slim AS console
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY console ./console
RUN npm ci --workspace console --ignore-scripts --no-audit --no-fund && node console/prepare.mjs

FROM node:26-slim
# It listens on all addresses of the container, and so asks for one more setting: TRUST_PROXY (the proxy in front that ends
# the TLS), or TLS_CERT and TLS_KEY. On one machine: docker run -p 127.0.0.1:3000:3000 -e TRUST_PROXY=uniquelocal …
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=console /app/console/dist ./console/dist
COPY package.json LICENSE ./
COPY definitions ./definitions
COPY src ./src
# The guides that /docs leads to.
COPY docs/*.md ./docs/
# For operators: docker exec <container> node scripts/backup.ts /data/backup-1
COPY scripts/admin.ts scripts/backup.ts scripts/restore.ts scripts/upgrade-store.ts scripts/verify.ts ./scripts/
COPY scripts/command-line.ts scripts/data-folder.ts scripts/definitions.ts ./scripts/
COPY scripts/claim-again.ts scripts/move-keys.ts ./scripts/
COPY scripts/backup ./scripts/backup
COPY scripts/keys ./scripts/keys
COPY scripts/upgrade-store ./scripts/upgrade-store
COPY scripts/verify ./scripts/verify
# The folder for data is all that the service writes to. Compiled code is kept for the user who compiled it.
RUN mkdir -p /data node_modules/.cache && chown node:node /data node_modules/.cache
USER node
RUN node src/compile.js
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "const{PORT=3000,TLS_CERT}=process.env;const{get}=require(TLS_CERT?'https':'http');get({host:'127.0.0.1',port:PORT,path:'/api/v1/health/ready',rejectUnauthorized:false},r=>process.exit(r.statusCode===200?0:1)).on('error',()=>process.exit(1))"]
# Not through npm: signals must reach the service.
CMD ["node", "src/main.js"]

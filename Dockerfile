# The embedded PostgreSQL needs the glibc of this image; it does not run when DATABASE_URL is set.
FROM node:26-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY bin bin
RUN npm ci --omit=dev
COPY docs docs
COPY migrations migrations
COPY shop.example.yaml .
COPY src src
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT??8080)+'/health/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# Starts Node without a shell, so that Node receives the signals.
ENTRYPOINT ["node", "src/main.ts"]
CMD ["serve"]

# The image needs glibc for the embedded PostgreSQL; with DATABASE_URL set it is not used.
FROM node:26-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY bin bin
RUN npm ci --omit=dev
COPY migrations migrations
COPY src src
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT??8080)+'/health/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# Node is started directly, so that it gets the signals.
ENTRYPOINT ["node", "src/main.ts"]
CMD ["serve"]

# A complete webhook receiver. Ruby 3.0 and later: gem install webrick, then WEBHOOK_SECRET=… ruby receiver.rb
#
# It stores each message once, as INBOX/<webhook-id>.json, and answers. A worker of yours takes it from there, so that the
# answer is fast and a message is safe when this process stops. Keep the files for as long as repeats may come.
#
# Order: after a failed attempt later events overtake earlier ones. Let the worker compare Data.Version: keep the highest of
# each record and pass over older ones, or set Ordered on the webhook.
require 'fileutils'
require 'openssl'
require 'securerandom'
require 'webrick'

$stdout.sync = true
SECRET = ENV.fetch('WEBHOOK_SECRET')
INBOX = ENV.fetch('INBOX', 'inbox')
MAX_BODY = 8 * 1024 * 1024
MAX_AGE_SECONDS = 300

def verify(secret, body, signature)
  same?("sha256=#{OpenSSL::HMAC.hexdigest('SHA256', secret, body)}", signature)
end

# Whether one of the signatures of Standard Webhooks is right, and the timestamp that it covers is recent.
def verify_standard(secret, body, id, timestamp, signatures)
  return false unless timestamp.match?(/\A\d{1,12}\z/) && (Time.now.to_i - timestamp.to_i).abs <= MAX_AGE_SECONDS

  key = secret.start_with?('whsec_') ? secret.delete_prefix('whsec_').unpack1('m') : secret
  expected = "v1,#{[OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body.b)].pack('m0')}"
  signatures.split.any? { |one| same?(expected, one) }
end

# In constant time.
def same?(expected, given)
  expected.bytesize == given.bytesize && OpenSSL.fixed_length_secure_compare(expected, given)
end

# Stores a message; one that is there already stays as it is.
def store(id, body)
  scratch = File.join(INBOX, "#{SecureRandom.uuid}.tmp")
  File.open(scratch, File::WRONLY | File::CREAT | File::EXCL | File::BINARY) do |file|
    file.write(body)
    file.fsync
  end
  File.link(scratch, File.join(INBOX, "#{id}.json"))
  puts "stored #{id}"
rescue Errno::EEXIST
  puts "repeated #{id}"
ensure
  FileUtils.rm_f(scratch)
end

# The status to answer with.
def receive(request)
  return 413 if request['Content-Length'].to_i > MAX_BODY

  # The raw bytes: JSON that was parsed and printed again has another signature.
  body = request.body || ''
  id = request['webhook-id'].to_s
  return 400 unless id.match?(/\A[\w-]{1,100}\z/)
  return 401 unless verify(SECRET, body, request['X-Hub-Signature-256'].to_s)

  timestamp, signatures = request['webhook-timestamp'].to_s, request['webhook-signature'].to_s
  return 401 unless verify_standard(SECRET, body, id, timestamp, signatures)

  store(id, body)
  204
end

FileUtils.mkdir_p(INBOX)
server = WEBrick::HTTPServer.new(
  BindAddress: '127.0.0.1', Port: ENV.fetch('PORT', '4000').to_i, AccessLog: [],
  Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN)
)
server.mount_proc('/') do |request, response|
  response.status = receive(request)
rescue StandardError => error
  warn error.full_message
  response.status = 500 # Daybook tries again.
end
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
puts "listening on http://127.0.0.1:#{server.listeners.first.addr[1]}/"
server.start

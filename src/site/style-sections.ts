/** The look of header, footer, sections, lists and entries. Part of SITE_CSS. */
export const SECTION_CSS = `
.site-header{border-block-end:1px solid var(--line);background:var(--bg)}
.header-row{display:flex;align-items:center;gap:.6rem 1rem;min-height:4.5rem;padding-block:.6rem}
.brand{display:flex;align-items:center;gap:.7rem;min-width:0;margin-inline-end:auto;color:inherit;font-family:var(--serif);font-size:1.3rem;font-weight:650;line-height:1.15;text-decoration:none}
.brand-logo{width:auto;height:2.5rem;max-width:8rem;object-fit:contain}
.menu{display:flex;flex-direction:column;gap:.1rem}
.menu-item{display:flex;flex-wrap:wrap;align-items:center;position:relative}
.menu-link,.menu-label{display:inline-flex;align-items:center;min-height:2.75rem;padding:.35rem .8rem;border-radius:.6rem;color:inherit;text-decoration:none}
.menu-label{color:var(--quiet)}
a.menu-link:hover{background:var(--surface);text-decoration:underline}
.menu-link[aria-current]{color:var(--accent-ink);font-weight:650}
.submenu summary{display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:.6rem;list-style:none;cursor:pointer}
.submenu summary::-webkit-details-marker{display:none}
.submenu summary::before{content:"";width:.5rem;height:.5rem;border:solid currentColor;border-width:0 2px 2px 0;rotate:45deg;translate:0 -.12rem}
.submenu[open]>summary::before{rotate:225deg;translate:0 .12rem}
.submenu summary:hover{background:var(--surface)}
.submenu-list{padding-inline-start:1rem!important}
.menu-open,.menu-close{display:inline-flex;align-items:center;gap:.6rem;min-height:2.75rem;padding:.4rem 1rem;border:1px solid var(--line);border-radius:999px;background:var(--raised);color:inherit;font:inherit;font-size:.95rem;font-weight:600;cursor:pointer}
.menu-sign{width:1.05rem;height:.7rem;border-block:2px solid currentColor}
.menu-panel{color:inherit}
.menu-panel:popover-open{inset:auto 0 0 0;width:auto;max-width:none;max-height:85vh;margin:.75rem;padding:1.25rem;border:1px solid var(--line);border-radius:1.4rem;background:var(--raised);box-shadow:var(--shadow);overflow:auto}
.menu-panel::backdrop{background:rgb(10 14 12/.45)}
.menu-panel .menu-link,.menu-panel .menu-label{font-size:1.15rem}
.menu-close{width:100%;justify-content:center;margin-block-start:1rem}
.languages{margin-block-start:.8rem;padding-block-start:.8rem;border-block-start:1px solid var(--line)}
.languages .menu{flex-direction:row;flex-wrap:wrap}
.header-row .button{white-space:nowrap}
@media (max-width:29.99rem){.header-row .button-small{padding-inline:.9rem;font-size:.9rem}.brand{font-size:1.12rem;gap:.5rem}.brand-logo{height:2.1rem}.menu-open{padding-inline:.8rem;font-size:0;gap:0}}
@media (min-width:58rem){
.site-header{position:sticky;top:0;z-index:10}
.menu-open,.menu-close{display:none}
.menu-panel,.menu-panel:popover-open{display:flex;position:static;align-items:center;gap:.5rem;width:auto;max-height:none;margin:0;padding:0;border:0;border-radius:0;background:none;box-shadow:none;overflow:visible}
.menu{flex-direction:row;flex-wrap:wrap}
.menu-panel .menu-link,.menu-panel .menu-label{font-size:1rem}
.submenu summary{width:2rem;margin-inline-start:-.6rem}
.submenu>.submenu-list{flex-direction:column}
.menu>.menu-item>.submenu>.submenu-list{position:absolute;top:calc(100% + .3rem);inset-inline-start:0;min-width:14rem;padding:.5rem!important;border:1px solid var(--line);border-radius:.9rem;background:var(--raised);box-shadow:var(--shadow)}
.languages{margin:0;padding:0 0 0 .5rem;border-block-start:0;border-inline-start:1px solid var(--line)}
.languages .menu-link{padding-inline:.55rem;font-size:.95rem!important}
}
.site-footer{border-block-start:1px solid var(--line);background:var(--surface)}
.footer-row{display:flex;flex-wrap:wrap;align-items:flex-start;justify-content:space-between;gap:1.5rem 4rem;padding-block:clamp(2.2rem,1.8rem + 2vw,3.5rem)}
.footer-words{max-width:34rem}
.footer-name{font-family:var(--serif);font-size:1.25rem;font-weight:650}
.footer-menu{display:flex;flex-wrap:wrap;gap:0 .4rem;margin-inline:-.8rem}
.footer-menu .footer-menu{margin-inline:.4rem 0;flex-direction:column}
.site-footer a.menu-link:hover{background:none}

.hero{position:relative;isolation:isolate}
.hero-title{font-size:clamp(2.5rem,1.7rem + 3.7vw,4.6rem);line-height:1.05;letter-spacing:-.022em}
.hero-text>*+*{margin-block-start:1.4rem}
.hero-text .button{margin-block-start:2rem}
.hero-text .lead{max-width:34rem}
.hero-plain{background:var(--surface);border-block-end:1px solid var(--line)}
.hero-plain .hero-text{padding-block:calc(var(--space)*1.15)}
.hero-plain .hero-title,.hero-over .hero-title{max-width:15em}
.hero-over{display:flex;align-items:flex-end;min-height:min(46rem,78vh);background:#111816;color:#fff}
.hero-over .hero-media{position:absolute;inset:0;z-index:-1}
.hero-over .hero-media::after{content:"";position:absolute;inset:0;background:linear-gradient(to top,rgb(9 14 12/.72),rgb(9 14 12/.6) 70%,rgb(9 14 12/.42))}
.hero-over .hero-media img{width:100%;height:100%;object-fit:cover}
.hero-over .hero-text{padding-block:clamp(7rem,18vh,12rem) clamp(3rem,2rem + 4vw,5.5rem)}
.hero-over .button-main{background:#fff;color:#14201b}
.hero-over :focus-visible{outline-color:#fff}
@media (min-width:54rem){
.hero-over .hero-text>*{max-width:min(38rem,56vw)}
.hero-over .hero-title{max-width:min(13em,56vw)}
.hero-over .hero-media::after{background:linear-gradient(to right,rgb(9 14 12/.74),rgb(9 14 12/.6) 58%,rgb(9 14 12/.08) 88%)}
[dir=rtl] .hero-over .hero-media::after{background:linear-gradient(to left,rgb(9 14 12/.74),rgb(9 14 12/.6) 58%,rgb(9 14 12/.08) 88%)}
}
.hero-centered{display:flex;flex-direction:column-reverse;background:var(--surface);border-block-end:1px solid var(--line)}
.hero-centered .hero-text{padding-block:var(--space);text-align:center}
.hero-centered .hero-text>*{margin-inline:auto}
.hero-centered .hero-title{max-width:16em}
.hero-centered .hero-media{width:min(100% - 2*var(--gutter),var(--wide));margin-inline:auto;padding-block-end:var(--space);margin-block-start:calc(var(--space)*-.35)}
.hero-centered .hero-media img{width:100%;max-height:34rem;border-radius:1.4rem;object-fit:cover}

.intro{max-width:46rem}
.intro>*+*{margin-block-start:1.1rem}
.intro .prose{color:var(--quiet)}
.intro+ul{margin-block-start:clamp(2rem,1.5rem + 2vw,3.25rem)}
.feature-grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:clamp(1rem,.7rem + 1.2vw,1.75rem)}
.feature-grid .feature-item{padding:clamp(1.4rem,1.1rem + 1vw,2.1rem);border:1px solid var(--line);border-radius:1.25rem;background:var(--raised)}
.feature-icon{flex:none;width:4.75rem;height:4.75rem;border-radius:1.1rem;object-fit:cover}
.feature-grid .feature-icon{margin-block-end:1.4rem}
.feature-title{font-size:clamp(1.25rem,1.18rem + .35vw,1.45rem)}
.feature-words>*+*{margin-block-start:.55rem}
.feature-list .feature-item{display:flex;gap:clamp(1.1rem,3vw,2rem);padding-block:1.75rem;border-block-start:1px solid var(--line)}
.feature-list .feature-item:last-child{border-block-end:1px solid var(--line)}
.feature-list .feature-words{max-width:44rem}

.split{display:grid;gap:clamp(1.75rem,4vw,4.5rem)}
.split-words>*+*{margin-block-start:1.2rem}
.split-words .button{margin-block-start:1.8rem}
.split-media img{width:100%;border-radius:1.4rem;object-fit:cover}
.image-first .split-media{order:-1}
.band-gray{background:var(--surface)}
.band-white{background:var(--raised)}
.band-primary,.cta-band{background:var(--accent);color:var(--on-accent)}
.band-primary :is(a,li::marker),.cta-band .prose :is(a,li::marker){color:inherit}
.band-primary .button-second{color:inherit}
.band-primary code,.cta-band code{background:none;border:1px solid currentColor}
.band-primary pre{background:none;border:1px solid currentColor}
.band-primary :focus-visible,.cta-band :focus-visible{outline-color:currentColor}
.band-primary ::selection{background:var(--on-accent);color:var(--accent)}
@media (min-width:54rem){
.split{grid-template-columns:minmax(0,1fr) minmax(0,1.12fr);align-items:center}
.split .split-media{order:1}
.split.image-left{grid-template-columns:minmax(0,1.12fr) minmax(0,1fr)}
.split.image-left .split-media{order:-1}
.split.split-alone{grid-template-columns:minmax(0,46rem)}
.split-media img{aspect-ratio:4/3}
}

.cta{position:relative;isolation:isolate;overflow:hidden}
.cta-words>*+*{margin-block-start:.9rem}
.cta-card{display:flex;flex-direction:column;align-items:flex-start;gap:1.8rem;padding:clamp(1.9rem,1.2rem + 3.4vw,4rem);border:1px solid var(--line);border-radius:1.6rem;background:var(--surface)}
.cta-banner{display:flex;flex-direction:column;align-items:center;gap:2rem;padding:calc(var(--space)*1.05) var(--gutter);text-align:center}
.cta-banner .cta-words{max-width:44rem}
.cta-banner .button-main{background:var(--on-accent);color:var(--accent)}
.cta-media{position:absolute;inset:0;z-index:-1}
.cta-media::after{content:"";position:absolute;inset:0;background:rgb(9 14 12/.64)}
.cta-media img{width:100%;height:100%;object-fit:cover}
.cta-over{border-color:transparent;background:#111816;color:#fff}
.cta-over .prose a{color:inherit}
.cta-over .button-main{background:#fff;color:#14201b}
.cta-over :focus-visible{outline-color:#fff}
@media (min-width:54rem){.cta-card{flex-direction:row;align-items:center;justify-content:space-between;gap:3rem}.cta-card .cta-words{max-width:40rem}.cta-card .button{flex:none}}

.gallery-heading{margin-block-end:clamp(1.5rem,1.1rem + 1.6vw,2.5rem)}
.gallery-item img{border-radius:var(--round)}
.gallery-grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:clamp(.75rem,.5rem + 1vw,1.4rem)}
.gallery-grid img{width:100%;height:100%;aspect-ratio:4/3;object-fit:cover}
.gallery-masonry{columns:17rem;column-gap:clamp(.75rem,.5rem + 1vw,1.4rem)}
.gallery-masonry .gallery-item{margin-block-end:clamp(.75rem,.5rem + 1vw,1.4rem);break-inside:avoid}
.gallery-masonry img{width:100%}
.carousel{border-radius:var(--round);overflow-x:auto;scroll-snap-type:x mandatory;scrollbar-width:thin;scrollbar-color:var(--quiet) transparent}
.gallery-carousel{display:flex;gap:clamp(.75rem,.5rem + 1vw,1.4rem);width:max-content;min-width:100%;padding-block-end:.9rem!important}
.gallery-carousel .gallery-item{width:min(44rem,78vw);flex:none;scroll-snap-align:start}
.gallery-carousel img{width:100%;height:100%;aspect-ratio:16/10;object-fit:cover}

.list-title{font-size:clamp(2.4rem,1.8rem + 2.8vw,3.9rem)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:clamp(1.25rem,.8rem + 1.6vw,2.25rem);margin-block-start:clamp(2rem,1.5rem + 2vw,3.25rem)}
.card{position:relative;display:flex;flex-direction:column;border:1px solid var(--line);border-radius:1.25rem;background:var(--raised);overflow:hidden}
.card-media img{width:100%;aspect-ratio:16/10;object-fit:cover}
.card-words{display:flex;flex-direction:column;gap:.6rem;padding:clamp(1.25rem,1rem + .8vw,1.8rem)}
.card-title{font-size:clamp(1.3rem,1.2rem + .5vw,1.6rem)}
.card-title a{color:inherit;text-decoration:none}
.card-title a::after{content:"";position:absolute;inset:0}
.card:hover .card-title a{text-decoration:underline;text-decoration-thickness:.08em}
.card:focus-within{outline:3px solid var(--accent-ink);outline-offset:3px}
.card-title a:focus-visible{outline:none}
.card-meta,.entry-meta{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;color:var(--quiet);font-size:.92rem}
.card-meta span{color:var(--accent-ink);font-weight:620}
.pager{display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:1rem 1.5rem;margin-block-start:3rem;color:var(--quiet)}
.entry{padding-block-start:clamp(2.5rem,2rem + 3vw,5rem)}
.entry-head,.entry-body{width:min(100% - 2*var(--gutter),var(--narrow));margin-inline:auto}
.entry-head>*+*{margin-block-start:1.1rem}
.entry-head .lead{color:var(--quiet)}
.entry-title{font-size:clamp(2.3rem,1.7rem + 2.8vw,3.7rem);line-height:1.08}
.entry-cover{width:min(100% - 2*var(--gutter),64rem);margin:clamp(2rem,1.5rem + 2vw,3.25rem) auto 0}
.entry-cover img{width:100%;max-height:36rem;border-radius:1.4rem;object-fit:cover}
.entry-body{margin-block-start:clamp(2rem,1.6rem + 1.6vw,3rem)}
.entry-body>*+*{margin-block-start:1.5rem}
.entry-body>.tags{margin-block-start:2.75rem}
.entry-image img{border-radius:var(--round)}
.entry-element{padding:1.2rem 1.4rem;border:1px solid var(--line);border-radius:var(--round)}
.entry-body>.entry-back{margin-block-start:2.5rem;padding-block-start:1.5rem;border-block-start:1px solid var(--line)}
.tags{display:flex;flex-wrap:wrap;gap:.5rem}
.tags li{padding:.25rem .85rem;border:1px solid var(--line);border-radius:999px;background:var(--surface);color:var(--quiet);font-size:.92rem}
.not-found .wrap>*+*{margin-block-start:1.2rem}
@media (prefers-reduced-motion:no-preference){
html{scroll-behavior:smooth}
.button,.menu-link,.card{transition:background-color .15s,box-shadow .15s,filter .15s}
.card:hover{box-shadow:var(--shadow)}
.button-main:hover{filter:brightness(1.07)}
}
`;
